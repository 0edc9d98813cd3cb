import type { Database } from '@latchkey/db';
import type pg from 'pg';

export interface RecordedStatement {
  text: string;
  values: unknown[];
}

/** Records the statements that a pool runs, until stopped. */
export function recordStatements({ pool }: Pick<Database, 'pool'>): { stop(): RecordedStatement[] } {
  const statements = new Map<string, RecordedStatement>();
  const wrapped = new WeakSet<pg.PoolClient>();
  let isOn = true;
  pool.on('acquire', (client: pg.PoolClient) => {
    if (wrapped.has(client)) return;
    wrapped.add(client);
    const query = client.query.bind(client);
    client.query = new Proxy(query, {
      apply: (target, self, given: unknown[]) => {
        const [request, more] = given;
        const { text, values = more ?? [] } = typeof request === 'string' ? { text: request } : Object(request);
        if (isOn && typeof text === 'string' && Array.isArray(values)) statements.set(text, { text, values });
        return Reflect.apply(target, self, given);
      },
    });
  });
  return {
    stop: () => {
      isOn = false;
      return [...statements.values()].filter(({ text }) => /^\s*(with|select|insert|update|delete)\b/i.test(text));
    },
  };
}
