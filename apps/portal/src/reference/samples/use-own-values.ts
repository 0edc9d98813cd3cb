import { useEffect, useState } from 'react';
import { useLive } from '../live/store.ts';
import { useCredential } from '../try-it/credential.ts';
import { type OwnValues, readOwnValues } from './own-values.ts';
import { isGiven } from './sample-credential.ts';

/** A key is read when the reader has stopped typing it. */
const pauseMs = 600;
const nothing: OwnValues = {};
/** By server and credential, for all pages of a visit. */
const known = new Map<string, Promise<OwnValues>>();

/** What the reader has on their server; empty until they give a key or token. */
export function useOwnValues(): OwnValues {
  const live = useLive();
  const credential = useCredential();
  const address = live.kind === 'loaded' ? live.address : undefined;
  const [own, setOwn] = useState(nothing);
  const { kind, secret } = credential;
  useEffect(() => {
    setOwn(nothing);
    if (address === undefined || !isGiven({ kind, secret })) return undefined;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      const key = JSON.stringify([address, kind, secret]);
      const reading = known.get(key) ?? readOwnValues(address, { kind, secret }, AbortSignal.timeout(60_000));
      known.set(key, reading);
      reading.then(
        (values) => ended.signal.aborted || setOwn(values),
        () => undefined,
      );
    }, pauseMs);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [address, kind, secret]);
  return own;
}
