/** Whether the result of a query counts as true, by JSONata's own rules for conditions. */
export function isYes(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isYes);
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && Boolean(value);
  const isFunction = '_jsonata_lambda' in value || '_jsonata_function' in value;
  return !isFunction && Object.keys(value).length > 0;
}
