import { resolve } from 'node:path';
import { startSampleServer } from './sample-server.ts';
import { giveGuestPass, holdPlan, joinNewcomer, listMiniApp, waitForRoles } from './settle.ts';
import { shootScreens } from './shoot-screens.ts';

const [folder = 'shots'] = process.argv.slice(2);
await using sample = await startSampleServer();
await waitForRoles(sample);
await listMiniApp(sample);
await giveGuestPass(sample);
await joinNewcomer(sample);
await holdPlan(sample);
const { taken, problems } = await shootScreens(sample, resolve(folder));
process.stdout.write(`${taken.length} pictures are in ${resolve(folder)}.\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
