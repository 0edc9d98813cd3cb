/** For tests in which the platforms report something: a test server hears nothing by itself. */
export { listenOutside } from '../../src/run/listen.ts';
