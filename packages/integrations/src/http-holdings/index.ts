export {
  type Ask,
  answerEach,
  createHttpReader,
  type HttpHoldingsOptions,
  namesTokens,
  unknown,
} from './create-reader.ts';
export { digitsOf, type Fields, fieldsOf, listOf, Malformed, ServiceFailed, textOf } from './json-over-http.ts';
