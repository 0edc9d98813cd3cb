import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

export type Found = { kind: 'file'; path: string } | { kind: 'moved'; to: string } | { kind: 'missing' };

/**
 * The file behind a path of the site. Every page has one address: those that end in `.html` lead to the plain one.
 * Nothing outside the folder can be asked for.
 */
export async function findFile(folder: string, pathname: string): Promise<Found> {
  const plain = pathname.replace(/(?:\/index)?\.html$/, '');
  const decoded = decode(plain);
  if (decoded === undefined) return { kind: 'missing' };
  const path = join(folder, decoded);
  if (path !== folder && !path.startsWith(`${folder}${sep}`) && `${path}${sep}` !== `${folder}${sep}`)
    return { kind: 'missing' };
  if (plain !== pathname) {
    const isPage = (await isFile(join(path, 'index.html'))) || (await isFile(`${path}.html`));
    return isPage ? { kind: 'moved', to: plain === '' ? '/' : plain } : { kind: 'missing' };
  }
  for (const candidate of [path, join(path, 'index.html')])
    if (await isFile(candidate)) return { kind: 'file', path: candidate };
  return { kind: 'missing' };
}

function decode(pathname: string): string | undefined {
  try {
    const decoded = decodeURIComponent(pathname);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
