// What the formats of format.js make of numbers, in Node or a browser; see numbers_as_text.py.
export const formatAll = (formatter, locale, { numbers, formats }) => {
  const format = formatter(locale);
  return numbers.map((text) => formats.map(([name, more]) => format[name](Number(text), ...more)));
};
