import { useEffect, useState } from 'react';
import type { OperationModel } from '../../../reference/model.ts';
import { useLive } from '../live/store.ts';
import { useCredential } from '../try-it/credential.ts';
import { findObjects, type OwnValues, readOwnValues } from './own-values.ts';
import { isGiven } from './sample-credential.ts';

/** A key is read when the reader has stopped typing it. */
const pauseMs = 600;
const nothing: OwnValues = {};
/** By server and credential, for all pages of a visit. */
const known = new Map<string, Promise<OwnValues>>();

/** What the reader has on their server that an operation can name; empty until they give a key or token. */
export function useOwnValues(operation: OperationModel): { own: OwnValues; isReading: boolean } {
  const live = useLive();
  const credential = useCredential();
  const address = live.kind === 'loaded' ? live.address : undefined;
  const [own, setOwn] = useState(nothing);
  const [isReading, setReading] = useState(false);
  const { kind, secret } = credential;
  useEffect(() => {
    setOwn(nothing);
    setReading(false);
    if (address === undefined || !isGiven({ kind, secret })) return undefined;
    setReading(true);
    const ended = new AbortController();
    const timer = setTimeout(() => {
      const key = JSON.stringify([address, kind, secret]);
      const reading = known.get(key) ?? readOwnValues(address, { kind, secret }, AbortSignal.timeout(60_000));
      known.set(key, reading);
      const readObjects = async () => {
        const values = await reading;
        // Not kept: other operations of this visit create and delete objects.
        const objects = await findObjects(operation, values, address, { kind, secret }, ended.signal);
        if (!ended.signal.aborted) setOwn({ ...values, objects });
      };
      const finish = () => ended.signal.aborted || setReading(false);
      readObjects().then(finish, finish);
    }, pauseMs);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [address, kind, secret, operation]);
  return { own, isReading };
}
