import { setPlace } from '../../../ask/place.ts';

/** Where the button of the widget that answers questions is, once it has loaded. The menu of narrow screens has none. */
export default function AskPlace({ mobile = false }: { mobile?: boolean }) {
  return mobile ? null : <div ref={setPlace} />;
}
