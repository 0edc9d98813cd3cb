/** The last step of a build, run by build.ts: `node finish.ts <folder of the site>`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { redirects, spellings } from './config/redirects.ts';
import { readSite } from './config/site.ts';
import { finishBuild } from './finish/finish-build.ts';

const [folder = ''] = process.argv.slice(2);
const site = readSite();
// For servers, which answer a moved address better than a page can.
const moved = [...redirects, ...spellings].map(({ from, to }) => ({ from: addressOf(from), to: addressOf(to) }));
writeFileSync(join(folder, 'redirects.json'), `${JSON.stringify(moved)}\n`);

function addressOf(path: string): string {
  return site.baseUrl + path.slice(1);
}

const startedAt = performance.now();
const { htmlFiles, markdownPages, inlineStyles } = await finishBuild(folder, site);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
process.stdout.write(
  `For machines: ${htmlFiles} files with a security policy, ${markdownPages} Markdown versions in ${seconds} s.\n`,
);
if (inlineStyles.length > 0) {
  process.stderr.write(
    `The security policy makes browsers ignore these inline styles; use classes instead:\n${inlineStyles.join('\n')}\n`,
  );
  process.exitCode = 1;
}
