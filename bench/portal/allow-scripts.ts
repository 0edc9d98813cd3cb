import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const policy = "default-src 'self' 'unsafe-inline' data:";

/**
 * Writes a content security policy into every page that lets its own scripts and styles run. The server of the portal blocks everything on
 * pages without a policy, and would show those of other sites bare.
 */
export function allowScripts(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue;
    const file = join(folder, name);
    const tag = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/<head[^>]*>/, (head) => head + tag),
    );
  }
}
