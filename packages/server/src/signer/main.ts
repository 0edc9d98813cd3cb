// The entry point of the signer that `npm start` runs as a child process. It loads no code that handles external
// requests.
import { printError } from '../cli/print.ts';
import { inheritedEnvironment, readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { runSigner } from './run.ts';

const config = readConfig(inheritedEnvironment());
const log = createLog({ logLevel: config.logLevel, debugSettings: config.debugParts });

runSigner(config, log).then(
  () => process.exit(0),
  (error: unknown) => {
    printError(`The signer stopped: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
