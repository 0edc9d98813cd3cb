// Loaded when an admin opens the page about the rules file, never with another page: the file that `latchkey rules pull` writes, and
// the tests in files, by the code of the command line. Nothing here asks the network.
import './shims/process.ts';

export { newFile, runTests } from '@latchkey/cli/browser';
