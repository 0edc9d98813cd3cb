/** An undeclared failure of a port. */
export interface Fault {
  name: string;
  /** Replaces a method of the port. */
  method(...args: never[]): unknown;
}

const throwing = (name: string, make: () => unknown): Fault[] => [
  {
    name: `throws ${name}`,
    method: () => {
      throw make();
    },
  },
  { name: `rejects with ${name}`, method: () => Promise.reject(make()) },
];

const missingFile = () =>
  Object.assign(new Error("ENOENT: no such file or directory, open 'verify.js'"), { code: 'ENOENT' });

const aborted = () => new DOMException('This operation was aborted', 'AbortError');

const answering = (name: string, value: unknown): Fault => ({ name: `answers ${name}`, method: async () => value });

/** What no port may return. `undefined` and empty lists are valid results of some, and are separate. */
export const faults: readonly Fault[] = [
  ...throwing('an error', () => new Error('It broke.')),
  ...throwing('a type error', () => new TypeError("Cannot read properties of undefined (reading 'kind')")),
  ...throwing('a missing file', missingFile),
  ...throwing('an abort', aborted),
  ...throwing('nothing', () => undefined),
  { name: 'never answers', method: () => new Promise(() => undefined) },
  answering('null', null),
  answering('an empty object', {}),
  answering('another kind', { kind: 'valid-ish', reason: 7 }),
  answering('a number', 42),
];

/** Garbage that some ports may legitimately return. */
export const emptyAnswers: readonly Fault[] = [answering('undefined', undefined), answering('an empty list', [])];

/** A port whose methods can be replaced with a fault, one at a time. */
export interface Breakable<Port> {
  port: Port;
  /** Makes this method fail, until it is called with undefined. */
  fail(method: keyof Port & string, fault: Fault | undefined): void;
}

export function breakable<Port extends object>(working: Port): Breakable<Port> {
  let broken: { method: string; fault: Fault } | undefined;
  const port = new Proxy(working, {
    get: (target, name) =>
      broken !== undefined && name === broken.method ? broken.fault.method : Reflect.get(target, name),
  });
  return {
    port,
    fail: (method, fault) => {
      broken = fault && { method, fault };
    },
  };
}
