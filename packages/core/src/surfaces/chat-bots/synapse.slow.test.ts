import { volume } from '@latchkey/test-kit';
import { matrixJourney } from './matrix-journey.suite.ts';
import { startSynapse, synapseProblem } from './testing-synapse.ts';

// Synapse is another toolchain, so it belongs to the deep tier alone; the emulator covers the same in every run.
const skip = volume(0, 1) === 0 ? 'for npm run test:deep' : (synapseProblem() ?? false);

matrixJourney('Synapse', startSynapse, skip);
