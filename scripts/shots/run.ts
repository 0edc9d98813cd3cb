import { resolve } from 'node:path';
import { pictures, picturesFolder } from '@latchkey/portal/pictures';
import { setUpSample, takeInOrder } from './pictures/take-in-order.ts';
import { startSampleServer } from './sample-server.ts';
import { holdChangeSet, startShadow } from './settle.ts';
import { shootLoginMethods, shootScreens } from './shoot-screens.ts';

const words = process.argv.slice(2);
const areForPages = words.includes('--pages');
const [named = areForPages ? picturesFolder : 'shots'] = words.filter((word) => !word.startsWith('--'));
const folder = resolve(named);
const [, names] = words.map((word) => /^--only=(.+)$/.exec(word)).find((found) => found !== null) ?? [];
const wanted = names === undefined ? pictures : pictures.filter(({ name }) => names.split(',').includes(name));

await using sample = await startSampleServer();
const problems = areForPages ? await takeInOrder(sample, wanted, folder) : await shootAll();
process.stdout.write(`The pictures are in ${folder}.\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

async function shootAll(): Promise<string[]> {
  const loginMethods = await shootLoginMethods(sample, folder);
  await setUpSample(sample);
  await holdChangeSet(sample);
  const usual = await shootScreens(sample, folder);
  await startShadow(sample);
  const inShadow = await shootScreens(sample, folder, /shadow-mode$/);
  return [...loginMethods.problems, ...usual.problems, ...inShadow.problems];
}
