import { sql } from '@latchkey/db';
import { until } from '@latchkey/test-kit';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

const base = '/latchkey/playgrounds';

/** A new playground, in place of those that earlier requests opened: an address may have only a few. */
export async function samplePlayground(server: TestServer): Promise<Samples> {
  await sql`update playgrounds set expires_at = now()`.execute(server.services.db.system);
  const { json } = await server.request('POST', base);
  await until('the first roles are granted', async () => {
    const { json: shown } = await server.request('POST', `${base}/state`, { json: { key: json.key } });
    return !shown.isWorking && shown.changeSets.length > 0;
  });
  return {
    [`POST ${base}/state key`]: json.key,
    [`POST ${base}/actions key`]: json.key,
    [`POST ${base}/actions action`]: 'edit-rule',
  };
}
