/** Checks pages without building the site: `node apps/portal/check-pages.ts [folder or file …]`. */
import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import './generate.ts';
import { pageFolders } from './config/page-folders.ts';
import { checkPage } from './pages/check-page.ts';

const here = import.meta.dirname;
const wanted = process.argv.slice(2).map((path) => resolve(path));

function listPages(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.mdx?$/.test(name))
    .map((name) => join(path, name))
    .sort();
}

const pages = (wanted.length > 0 ? wanted : pageFolders.map((folder) => join(here, folder))).flatMap(listPages);
let problems = 0;
for (const page of pages) {
  for (const problem of await checkPage(page)) {
    problems += 1;
    process.stdout.write(`${relative(process.cwd(), page)}: ${problem}\n`);
  }
}
process.stdout.write(`${pages.length} pages, ${problems} problems\n`);
process.exitCode = problems === 0 ? 0 : 1;
