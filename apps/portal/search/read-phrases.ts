import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What readers ask, by the address of the page that answers it. Each file of the folder has blocks with an empty line between them:
 * first the address, then one question a line, as somebody would type it.
 */
export async function readPhrases(folder: string): Promise<Map<string, string[]>> {
  const phrases = new Map<string, string[]>();
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.txt')).sort())
    for (const [path, asked] of parsePhrases(await readFile(join(folder, name), 'utf8'))) {
      if (phrases.has(path)) throw new Error(`${name} lists ${path}, which was listed before.`);
      phrases.set(path, asked);
    }
  return phrases;
}

export function parsePhrases(text: string): [path: string, asked: string[]][] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      const [path = '', ...asked] = block.split('\n').map((line) => line.trim());
      if (!/^\/\S*$/.test(path)) throw new Error(`A block begins with "${path}", which is no address.`);
      if (new Set(asked).size < asked.length) throw new Error(`${path} lists a question twice.`);
      return [path, asked];
    });
}
