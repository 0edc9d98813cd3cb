/** Node's error codes for bytes or numbers that do not fit, which the parsing libraries pass through. */
const inputCodes: readonly unknown[] = [
  'ERR_OUT_OF_RANGE',
  'ERR_BUFFER_OUT_OF_BOUNDS',
  'ERR_ENCODING_INVALID_ENCODED_DATA',
];
const exhausted = /call stack|invalid (?:array|string|typed array) length|allocation failed|out of memory/i;

/**
 * Whether an error can be a library's complaint about its input. It cannot if it is about a file, a module, a
 * connection, a timeout or memory, or is a typical programming error: such a failure is ours and decides nothing about
 * the sender.
 */
function isInputFault(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'AbortError' || error.name === 'TimeoutError') return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return inputCodes.includes(code);
  if (error instanceof RangeError) return !exhausted.test(error.message);
  return !(error instanceof TypeError || error instanceof ReferenceError);
}

/**
 * Returns what a library parses from input, or undefined if it refuses the input by throwing. Every other failure is
 * rethrown, so that it can be told from a refusal. Load the library first: a missing module is not the sender's fault.
 */
export function readInput<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isInputFault(error)) return undefined;
    throw error;
  }
}

/** The same for a library that returns a promise. */
export async function readInputAsync<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isInputFault(error)) return undefined;
    throw error;
  }
}
