import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInput, readInputAsync } from './input-faults.ts';

const failed = (error: unknown) => () => {
  throw error;
};

/** Runs real code that fails, so that the classified errors are those Node really throws. */
const complaints: Record<string, () => unknown> = {
  'text that is not JSON': () => JSON.parse('{'),
  'a number that is none': () => BigInt('x'),
  'bytes that end too early': () => Buffer.alloc(2).readUInt32BE(0),
  'bytes that are not UTF-8': () => new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.of(0xff)),
  'an error of a library': failed(new Error('bad point: is not on curve')),
  'a number out of range': failed(new RangeError('invalid scalar: out of range')),
};

const failures: Record<string, () => unknown> = {
  'a programming mistake': () => (undefined as unknown as { kind: string }).kind,
  'a name that is not there': failed(new ReferenceError('verify is not defined')),
  'a file that is gone': failed(Object.assign(new Error('ENOENT'), { code: 'ENOENT' })),
  'a module that is gone': failed(Object.assign(new Error('Cannot find module'), { code: 'ERR_MODULE_NOT_FOUND' })),
  'an abort': failed(new DOMException('This operation was aborted', 'AbortError')),
  'a time limit': failed(new DOMException('The operation timed out', 'TimeoutError')),
  'too deep a recursion': () => {
    const deeper = (): number => deeper() + 1;
    return deeper();
  },
  'more memory than there is': () => new Array(-1),
  'something that is no error': failed('no'),
};

for (const [what, read] of Object.entries(complaints)) {
  test(`${what} is an input error`, async () => {
    assert.equal(readInput(read), undefined);
    assert.equal(await readInputAsync(async () => read()), undefined);
  });
}

for (const [what, read] of Object.entries(failures)) {
  test(`${what} is a server error, not an input error`, async () => {
    assert.throws(() => void readInput(read));
    await assert.rejects(readInputAsync(async () => read()));
  });
}

test('parsed input is returned', () => {
  assert.deepEqual(
    readInput(() => JSON.parse('[1]')),
    [1],
  );
});
