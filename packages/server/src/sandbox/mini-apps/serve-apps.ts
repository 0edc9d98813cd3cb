import type { MiniApp } from '@latchkey/miniapp';
import { serve } from '@latchkey/miniapp/node';
import { type AppWorld, sampleApps } from './apps.ts';

/** Serves the sample mini-apps on one port of this machine, each below a path of its own. */
export async function serveSampleApps(world: AppWorld, port: number): Promise<{ url: string; stop(): Promise<void> }> {
  const apps = new Map(sampleApps.map(({ path, make }): [string, MiniApp] => [path, make(world)]));
  const all: MiniApp = {
    fetch: async (request) => {
      const [, path = ''] = new URL(request.url).pathname.split('/');
      return (await apps.get(path)?.fetch(request)) ?? new Response(null, { status: 404 });
    },
    settled: async () => void (await Promise.all([...apps.values()].map((app) => app.settled()))),
  };
  const serving = await serve(all, { port });
  return { url: `http://127.0.0.1:${serving.port}`, stop: serving.close };
}
