"""What is assumed about the use of a machine and the place it stands in."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vramsite.catalog.assumption import Assumption
from vramsite.catalog.gpu_record import DeviceKind
from vramsite.catalog.record import Count, Label, Record


class Place(Record):
    """Where machines with devices of these kinds stand when somebody owns them."""

    device_kinds: list[DeviceKind] = Field(min_length=1)
    pue_site: Label = Field(description="a site of data/side/power.yaml; its newest figure counts")
    sectors: list[Label] = Field(
        min_length=1, description="sectors of data/side/electricity.yaml, the preferred one first"
    )
    host_per: Literal["machine", "device", "included"] = Field(
        description="what `host_power` is of; included: the device's power is the whole machine's"
    )
    host_power: Assumption | None = Field(
        None, description="power of the computer around the devices, W; None: not known"
    )


class MoneyAssumptions(Record):
    """Defaults of the cost section; all but the places are inputs of the configurator."""

    hours_a_day: Assumption = Field(description="hours of use, and of rent")
    own_on_hours_a_day: Assumption = Field(description="hours an own machine is switched on")
    busy_share: Assumption = Field(description="share of the hours of use at the stated speed")
    lifetime_months: Assumption = Field(description="months over which a purchase is written off")
    least_tps_per_user: Assumption = Field(description="speed that each of many users must get")
    most_devices: Assumption = Field(description="devices of one machine")
    price_age_days: Assumption = Field(description="age from which a price is marked as old")
    batch_sequences: list[Count] = Field(min_length=1, description="loads that are tried, rising")
    countries: dict[Label, Label] = Field(description="country by language of the page")
    other_country: Label = Field(description="country of languages not listed")
    currencies: dict[Label, Label] = Field(
        default_factory=dict, description="currency of the cost section by language of the page"
    )
    other_currency: Label = Field("USD", description="currency of languages not listed")
    places: list[Place] = Field(min_length=1)

    def place(self, device_kind: str) -> Place:
        """Where such a device stands, the first place for kinds not listed."""
        for found in self.places:
            if device_kind in found.device_kinds:
                return found
        return self.places[0]
