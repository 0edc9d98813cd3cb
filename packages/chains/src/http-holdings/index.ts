export { answerEach, answerGroups, once, toAnswers } from './answer-groups.ts';
export { createHttpReader, type HttpHoldingsOptions, type Session } from './create-reader.ts';
export { fromUnits, plainDecimal, sumDecimals } from './decimal.ts';
export {
  decimalsOf,
  digitsOf,
  type Fetch,
  type Fields,
  fieldsOf,
  type JsonReply,
  listOf,
  Malformed,
  ServiceFailed,
  textOf,
} from './json-over-http.ts';
export { namesTokens, unknown } from './unknown.ts';
