/** The built-in functions of JSONata. */
const builtIn = [
  'sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match',
  'contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt power',
  'random boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert',
  'type sort shuffle distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl eval',
  'toMillis fromMillis clone now millis',
].flatMap((line) => line.split(' '));

/** The additional functions of queries. */
export const queryFunctionNames = [
  'between',
  'includes',
  'intersect',
  'compare',
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'add',
  'sub',
  'addAll',
  'toString',
  'inRanges',
  'ownsTraits',
  'ownsTraitsPerToken',
  'ownsBalance',
] as const;

export type QueryFunctionName = (typeof queryFunctionNames)[number];

const reserved: ReadonlySet<string> = new Set([...builtIn, ...queryFunctionNames, '$', '']);

/** Returns the first of these names that is a function in queries. */
export function findReserved(names: readonly string[]): string | undefined {
  return names.find((name) => reserved.has(name));
}
