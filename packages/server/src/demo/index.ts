import { print } from '../cli/print.ts';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { createNarrator } from './narrator.ts';
import { setStage } from './stage.ts';
import { runStory } from './story.ts';

/** Runs the demo of how a role is gained and lost in the terminal. Rejects if any step fails. */
export async function runDemo(): Promise<void> {
  const now = () => systemClock().getTime();
  const narrator = createNarrator(now);
  print('Latchkey demo: from a token to a role and back. Everything runs on this machine and is deleted afterwards.');
  print('\nSetting up');
  let stage: Awaited<ReturnType<typeof setStage>> | undefined;
  await narrator.step('database, API, worker, an emulator of Discord, a development chain', async () => {
    stage = await setStage(createLog({ logLevel: 'error', debugSettings: '' }));
    return undefined;
  });
  if (stage === undefined) return;
  try {
    await runStory(stage, narrator, now);
    print('\nAll steps passed.');
  } finally {
    await stage.stop();
  }
}
