import { useEffect, useState } from 'react';
import type { OperationModel } from '../../../reference/model.ts';
import { useLive } from '../live/store.ts';
import { useCredential } from '../try-it/credential.ts';
import { useChosenCommunity } from './chosen-community.ts';
import { communityFor, findObjects, type OwnValues, ofCommunity, readOwnValues } from './own-values.ts';
import { isGiven } from './sample-credential.ts';

/** A key is read when the reader has stopped typing it. */
const pauseMs = 600;
const nothing: OwnValues = {};
/** By server and credential, for all pages of a visit. */
const known = new Map<string, Promise<OwnValues>>();

/** What the reader has on their server that an operation can name; empty until they give a key or token. */
export function useOwnValues(operation: OperationModel): { own: OwnValues; isReading: boolean } {
  const live = useLive();
  const { kind, secret } = useCredential();
  const chosen = useChosenCommunity();
  const address = live.kind === 'loaded' ? live.address : undefined;
  const wanted =
    address === undefined || !isGiven({ kind, secret }) ? undefined : JSON.stringify([address, kind, secret, chosen]);
  const [read, setRead] = useState<{ wanted: string; of: OperationModel; own: OwnValues }>();
  useEffect(() => {
    if (wanted === undefined || address === undefined) return undefined;
    const ended = new AbortController();
    const finish = (own: OwnValues) => ended.signal.aborted || setRead({ wanted, of: operation, own });
    const timer = setTimeout(() => {
      const key = JSON.stringify([address, kind, secret]);
      const reading = known.get(key) ?? readOwnValues(address, { kind, secret }, AbortSignal.timeout(60_000));
      known.set(key, reading);
      const readObjects = async () => {
        const all = await reading;
        const community = communityFor(operation, all, chosen);
        const values = await ofCommunity(all, community, address, { kind, secret }, ended.signal);
        // Not kept: other operations of this visit create and delete objects.
        const objects = await findObjects(operation, values, address, { kind, secret }, ended.signal);
        return { ...values, objects };
      };
      readObjects().then(finish, () => finish(nothing));
    }, pauseMs);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [wanted, address, kind, secret, operation, chosen]);
  const isRead = read !== undefined && read.wanted === wanted && read.of === operation;
  return { own: isRead ? read.own : nothing, isReading: wanted !== undefined && !isRead };
}
