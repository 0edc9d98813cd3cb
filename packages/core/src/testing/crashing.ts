import type { Database, Tx } from '@latchkey/db';
import type { KyselyPlugin } from 'kysely';

export class Crash extends Error {}

/** A database whose process dies when it starts the transaction after `survived` others. */
export function crashing(db: Database, survived: number): Database {
  let left = survived;
  const transaction: Database['transaction'] = (...given) => {
    left -= 1;
    if (left < 0) throw new Crash('The process died.');
    return db.transaction(...given);
  };
  return new Proxy(db, { get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)) });
}

/**
 * A database whose process dies at the statement after `survived` others of its transactions. With `isAtomic: false` what
 * came before the death stays, as if it had been written outside of a transaction: the mistake that tests are to find.
 */
export function crashingInside(db: Database, survived: number, { isAtomic }: { isAtomic: boolean }): Database {
  let left = survived;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      left -= 1;
      if (left < 0) throw new Crash('The process died.');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const transaction: Database['transaction'] = (tenant, work, options) =>
    isAtomic
      ? db.transaction(tenant, (tx) => work(tx.withPlugin(plugin)), options)
      : work(db.system.withPlugin(plugin) as Tx);
  return new Proxy(db, { get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)) });
}
