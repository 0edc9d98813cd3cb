import { Session } from 'node:inspector';
import { pass } from './pass.mjs';

const usualPatienceMs = 2_000;
const mostFrames = 8;

/**
 * Returns where the main thread is stuck, innermost call first. The inspector can pause a loop that never yields; it
 * opens no port for this. Undefined when the main thread does not run JavaScript, for example while it waits for a
 * disk.
 * @param {string} root
 * @param {number} [patienceMs]
 * @returns {Promise<string[] | undefined>}
 */
export function findPlace(root, patienceMs = usualPatienceMs) {
  return new Promise((resolve) => {
    void pass(patienceMs).then(() => resolve(undefined));
    /** @type {Map<string, string>} */
    const urls = new Map();
    try {
      const session = new Session();
      session.connectToMainThread();
      session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
      session.on('Debugger.paused', ({ params }) =>
        resolve(
          params.callFrames.slice(0, mostFrames).map(({ functionName, location }) => {
            const file = (urls.get(location.scriptId) ?? '').replace(root, '');
            return `${functionName || '(anonymous)'} ${file}:${location.lineNumber + 1}`;
          }),
        ),
      );
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    } catch {
      resolve(undefined);
    }
  });
}
