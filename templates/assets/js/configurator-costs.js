// The view of the cost section, as vramsite/report/money_view.py puts it together: every figure
// comes from costs.js or figures.js (both compiled), here is only the order of asking.

const OPEN = { gpu_layers: null, cpu_moe_layers: null };

/** One machine of these devices under the settings asked for, its loads still to be added. */
export function machineOf({ costs, facts, calculator }, pair, { asked, size }) {
  const { cost } = pair.deviceCard.money;
  const sold = cost.offers.map((offer) => offer.devices);
  const machine = costs.machine_count(size, asked, cost.kind, sold, facts.rules);
  const none = { machine, speeds: null, counts: [] };
  if (machine.devices === null) return none;
  const fixed = asked.gpu_layers !== null || asked.cpu_moe_layers !== null;
  let working = asked;
  let whole = size;
  if (!fixed && machine.devices !== asked.gpus) {
    working = { ...asked, ...OPEN, gpus: machine.devices };
    whole = calculator.attempt(() => calculator.size(pair, working));
  }
  if (!whole) return { ...none, machine: { devices: null, why: "refused" } };
  const [input_tps, output_tps] = [whole.prefill_tps.value, whole.decode_tps.value];
  return {
    machine, working, counts: fixed ? [] : facts.rules.batch_sequences,
    speeds: { devices: machine.devices, input_tps, output_tps, loads: [] },
  };
}

/** What so many users write together; null where the machine does not hold them. */
export function totalOf({ costs, calculator }, { model, device }, { working }, users) {
  const settings = costs.load_settings(working, working.gpus, users);
  return calculator.attempt(() => calculator.together(model, device, settings));
}

export function moneyView({ costs, facts, figures }, pair, asked, { machine, speeds }, choice) {
  const { hosted, sellers: hosts } = pair.modelCard.money ?? { hosted: [] };
  const { cost, sellers, place } = pair.deviceCard.money;
  const { rules, rates, grids, places } = facts;
  const section = costs.cost_section(
    choice, rules, rates, places[place], grids, cost, speeds, hosted,
  );
  return {
    machine, choice, section,
    device: pair.deviceCard,
    user_tokens: figures.user_tokens(asked),
    input_tps: speeds && speeds.input_tps,
    output_tps: speeds && speeds.output_tps,
    loads: speeds ? figures.load_figures(speeds.output_tps, speeds.loads) : [],
    least_tps: rules.least_tps_per_user,
    rented: section.rented.map(({ offer, per_hour, input, output, several }) => ({
      per_hour,
      seller: sellers[offer],
      figures: several ? [input, output, several] : [input, output],
    })),
    hosted: section.hosted.map(({ input, output }, at) => ({
      seller: hosts[at], per_hour: null, figures: [input, output],
    })),
    renter: section.rent_or_buy ? sellers[section.rent_or_buy.offer] : null,
  };
}

/** Machines to rent with what each costs in use. */
export function offersView({ costs, facts }, { offers, count }, choice) {
  const { rules, rates, newest, age_days } = facts;
  const price = (row) =>
    costs.offer_cost(row.usd_per_hour, row.output_tps, choice, rules, rates);
  return { rows: offers.map((row) => [row, price(row)]), count, newest, age_days };
}

const before = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** The machines that hold a model under these settings; null when `resume` says to give up. */
export async function offersFor(tools, model, asked, rented, devices, resume) {
  const { costs, facts, calculator } = tools;
  const size = (device, gpus) => calculator.attempt(() => {
    const { backend } = device.backends[0];
    return calculator.size({ model, device }, { ...asked, ...OPEN, backend, gpus });
  });
  const found = [];
  for (const device of devices) {
    const needed = rented[device.id] && size(device, 1)?.fit.gpus_needed;
    if (needed)
      for (const offer of rented[device.id])
        if (needed <= offer.devices) found.push({ ...offer, needed, device });
    if (!(await resume())) return null;
  }
  found.sort((a, b) => a.usd_per_hour - b.usd_per_hour || before(a.provider, b.provider)
    || before(a.instance, b.instance));
  const offers = found.slice(0, facts.shown).map(({ device, ...row }) => ({
    ...row,
    output_tps:
      size(device, costs.working_devices(row.needed, row.devices))?.decode_tps.value ?? null,
  }));
  return { offers, count: found.length };
}
