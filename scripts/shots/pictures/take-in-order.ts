import type { Picture } from '@latchkey/portal/pictures';
import type { SampleServer } from '../sample-server.ts';
import {
  giveGuestPass,
  holdChangeSet,
  importRules,
  joinNewcomer,
  listMiniApp,
  startShadow,
  waitForRoles,
} from '../settle.ts';
import { takePictures } from './take-pictures.ts';

/** Lets everything happen in the sample community that a screen can show before a change of a rule waits for approval. */
export async function setUpSample(sample: SampleServer): Promise<void> {
  await waitForRoles(sample);
  await listMiniApp(sample);
  await giveGuestPass(sample);
  await joinNewcomer(sample);
  await importRules(sample);
}

/** Takes each picture at its moment: before removals wait, while they wait, or in shadow mode. Answers what went wrong. */
export async function takeInOrder(
  sample: SampleServer,
  wanted: readonly Picture[],
  folder?: string,
): Promise<string[]> {
  const problems: string[] = [];
  const take = async (some: readonly Picture[]) => {
    problems.push(...(await takePictures(sample, some, folder)));
  };
  await setUpSample(sample);
  await take(wanted.filter(({ isCalm }) => isCalm));
  await holdChangeSet(sample);
  await take(wanted.filter(({ isCalm, isShadow }) => !isCalm && !isShadow));
  const inShadow = wanted.filter(({ isShadow }) => isShadow);
  if (inShadow.length > 0) await startShadow(sample);
  await take(inShadow);
  return problems;
}
