import { resolve } from 'node:path';
import { pictures, picturesFolder } from '@latchkey/portal/pictures';
import { takePictures } from './pictures/take-pictures.ts';
import { startSampleServer } from './sample-server.ts';
import {
  giveGuestPass,
  holdPlan,
  importRules,
  joinNewcomer,
  listMiniApp,
  startShadow,
  waitForRoles,
} from './settle.ts';
import { shootScreens } from './shoot-screens.ts';

const words = process.argv.slice(2);
const areForPages = words.includes('--pages');
const [folder = areForPages ? picturesFolder : 'shots'] = words.filter((word) => !word.startsWith('--'));
const [, names] = words.map((word) => /^--only=(.+)$/.exec(word)).find((found) => found !== null) ?? [];
const wanted = names === undefined ? pictures : pictures.filter(({ name }) => names.split(',').includes(name));
const problems: string[] = [];

await using sample = await startSampleServer();
await waitForRoles(sample);
await listMiniApp(sample);
await giveGuestPass(sample);
await joinNewcomer(sample);
await importRules(sample);
if (areForPages) await take(wanted.filter(({ isCalm }) => isCalm));
await holdPlan(sample);
if (areForPages) await take(wanted.filter(({ isCalm, isShadow }) => !isCalm && !isShadow));
else problems.push(...(await shootScreens(sample, resolve(folder))).problems);
if (!areForPages || wanted.some(({ isShadow }) => isShadow)) await startShadow(sample);
if (areForPages) await take(wanted.filter(({ isShadow }) => isShadow));
else problems.push(...(await shootScreens(sample, resolve(folder), /shadow-mode$/)).problems);
process.stdout.write(`The pictures are in ${resolve(folder)}.\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

async function take(some: typeof pictures): Promise<void> {
  problems.push(...(await takePictures(sample, some, resolve(folder))));
}
