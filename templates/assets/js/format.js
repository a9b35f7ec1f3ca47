// Numbers as text, by locale: the same strings as vramsite/site/formatting.py prints.
// Half is rounded to even on the shortest decimal form of a number, which Intl does as well.

const NBSP = "\u00a0";
const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const GB = 1e9;
const COST_DECIMALS = [[2, 0.9995], [3, 0.09995], [4, 0.009995], [5, Number.MIN_VALUE], [2, 0]];

/** Formats for one locale; every method takes plain numbers and returns plain text. */
export function formatter(locale) {
  const kept = new Map();

  function apply(value, least, most, more) {
    const key = `${least} ${most} ${more ? more.style + more.currency : ""}`;
    let format = kept.get(key);
    if (!format) {
      format = new Intl.NumberFormat(locale, {
        minimumFractionDigits: least,
        maximumFractionDigits: most,
        roundingMode: "halfEven",
        signDisplay: "negative", // never "-0.00"
        ...more,
      });
      kept.set(key, format);
    }
    return format.format(value).replaceAll(" ", NBSP);
  }

  function when(day, parts) {
    if (!kept.has(parts.month))
      kept.set(parts.month, new Intl.DateTimeFormat(locale, { ...parts, timeZone: "UTC" }));
    return kept.get(parts.month).format(new Date(day));
  }

  const number = (value, decimals = 2) => apply(value, decimals, decimals);
  const compact = (value, decimals = 2) => apply(value, 0, decimals);
  const integer = (value) => number(value, 0);
  const threeDigits = (value) => number(value, threeDigitDecimals(value));
  const unit = (value, name, decimals = 2) => compact(value, decimals) + NBSP + name;
  const gib = (bytes, decimals = 2) => `${number(bytes / GIB, decimals)}${NBSP}GiB`;
  const tps = (value) => `${threeDigits(value)}${NBSP}tok/s`;

  const amount = (value, currency = "USD", cents = true) => {
    const decimals = cents ? 2 : 0;
    return apply(value, decimals, decimals, { style: "currency", currency });
  };

  return {
    number,
    compact,
    integer,
    threeDigits,
    unit,
    gib,
    tps,
    tokens: integer,
    gb: (bytes, decimals = 2) => `${number(bytes / GB, decimals)}${NBSP}GB`,
    mib: (bytes, decimals = 0) => `${number(bytes / MIB, decimals)}${NBSP}MiB`,
    percent: (share, decimals = 0) => apply(share, decimals, decimals, { style: "percent" }),
    amount,
    usd: (value, cents = true) => amount(value, "USD", cents),
    price: (value, currency = "USD") => apply(value, 2, 4, { style: "currency", currency }),
    cost(value, currency = "USD") {
      const found = COST_DECIMALS.find(([, least]) => Math.abs(value) >= least);
      return apply(value, found[0], found[0], { style: "currency", currency });
    },
    bytesAuto(bytes) {
      for (const [size, name] of [[GIB, "GiB"], [MIB, "MiB"], [KIB, "KiB"]])
        if (Math.abs(bytes) >= size) return threeDigits(bytes / size) + NBSP + name;
      return `${integer(bytes)}${NBSP}B`;
    },
    span(low, high) {
      const decimals = threeDigitDecimals(Math.max(Math.abs(low), Math.abs(high)));
      return `${number(low, decimals)}–${number(high, decimals)}`;
    },
    tpsRange(value, low, high) {
      if (low === null || high === null) return tps(value);
      const decimals = threeDigitDecimals(value);
      const span = `${number(low, decimals)}–${number(high, decimals)}`;
      return `${number(value, decimals)}${NBSP}(${span})${NBSP}tok/s`;
    },
    gibRange(value, low, high) {
      if (low === null || high === null || (low === value && high === value)) return gib(value);
      const span = `${number(low / GIB)}–${number(high / GIB)}`;
      return `${number(value / GIB)}${NBSP}(${span})${NBSP}GiB`;
    },
    tokensShort(value) {
      for (const [size, letter] of [[MIB, "M"], [KIB, "K"]])
        if (value >= size && value % size === 0) return integer(value / size) + letter;
      return integer(value);
    },
    // Days and months as ISO text ("2026-09-14", "2026-09").
    date: (day) => when(day, { year: "numeric", month: "short", day: "numeric" }),
    month: (month) => when(`${month.slice(0, 7)}-01`, { year: "numeric", month: "long" }),
    billions: (value) => `${compact(value / 1e9, value >= 1e9 ? 1 : 2)}B`,
    seconds(value) {
      if (rounded(value, 3) < 1) return `${integer(value * 1000)}${NBSP}ms`;
      if (value < 600) return `${threeDigits(value)}${NBSP}s`;
      if (value < 5400) return `${integer(value / 60)}${NBSP}min`;
      return `${compact(value / 3600, 1)}${NBSP}h`;
    },
  };
}

const plain = [0, 1, 2, 3].map(
  (decimals) =>
    new Intl.NumberFormat("en", {
      maximumFractionDigits: decimals,
      roundingMode: "halfEven",
      useGrouping: false,
    }),
);

const rounded = (value, decimals) => Number(plain[decimals].format(value));

// Three significant digits and at most two decimals: 3.82, 21.4, 118. The bounds apply to the
// rounded number, so that 99.96 prints as 100.
function threeDigitDecimals(value) {
  const size = Math.abs(value);
  if (rounded(size, 2) < 10) return 2;
  return rounded(size, 1) < 100 ? 1 : 0;
}
