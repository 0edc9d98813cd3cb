import { takeTurns } from '@latchkey/test-kit';

/** Each run over all files opens some of the suites in a browser, and in six turns all. */
export const turns = takeTurns('the console in a browser', 6);
