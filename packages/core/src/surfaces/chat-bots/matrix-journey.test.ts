import { startMatrixEmulator } from '@latchkey/emulators/matrix';
import { matrixJourney } from './matrix-journey.suite.ts';

matrixJourney('the emulator', async () => {
  const { url, world, stop } = await startMatrixEmulator();
  return { url, addUser: async (localpart) => world.addUser(localpart), stop };
});
