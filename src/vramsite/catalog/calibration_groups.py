"""The groups a measurement belongs to, by which coefficients are pooled.

A coefficient is a product of effects: of all measurements, of the device's family, of the device,
of the runtime (engine and back end), of the weight format and of pairs of them. The same names
are used when effects are fitted and when they are looked up.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.records import Architecture


@dataclass(frozen=True, slots=True)
class SpeedGroups:
    """Names of one configuration's groups."""

    device: str
    family: str
    runtime: str  # engine group/back end
    format_class: str
    arch: str
    cache_bits: str  # "16" or "less"
    attention: str  # "flash", "plain"
    link: str  # nvlink, pcie, fabric, other
    power: str  # "limited", "full"
    era: str = ""  # of old measurements; "" is today

    def names(self) -> dict[str, str]:
        """Kind of group -> the name of this configuration's group, "" for none."""
        engine = self.runtime.split("/")[0]
        return {
            "family": self.family,
            "device": self.device,
            "engine": engine,
            "runtime": self.runtime,
            "runtime-family": f"{self.runtime} {self.family}",
            "runtime-device": f"{self.runtime} {self.device}",
            "format": self.format_class,
            "format-runtime": f"{self.format_class} {self.runtime}",
            "format-family": f"{self.format_class} {self.family}",
            "arch": self.arch,
            "arch-runtime": f"{self.arch} {self.runtime}",
            "cache-bits": self.cache_bits,
            "attention": self.attention,
            "link": self.link,
            "link-runtime": f"{self.link} {self.runtime}",
            "power": self.power,
            "era-engine": f"{self.era} {engine}" if self.era else "",
            "era-format": f"{self.era} {self.format_class}" if self.era else "",
        }


def architecture_group(arch: Architecture) -> str:
    """Models of one architecture share what an engine does well or badly about it."""
    return arch.gguf_arch if arch.gguf_arch else arch.model_type


def link_group(interconnect: str) -> str:
    """The kind of link between cards, by the name of the interconnect."""
    name = interconnect.lower()
    if "bridge" in name or "pcie" in name or "none" in name:
        return "pcie"
    for kind in ("nvlink", "infinity"):
        if kind in name:
            return kind
    return "other"
