import type { Fault } from './faults.ts';

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
