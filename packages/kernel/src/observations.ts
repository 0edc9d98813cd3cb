/**
 * An event in this process that metrics count. The code where it happens publishes it; the code that counts listens.
 */
export interface Observation<Facts> {
  record(facts: Facts): void;
  /** Returns a function that stops listening. */
  listen(hear: (facts: Facts) => void): () => void;
}

function observation<Facts>(): Observation<Facts> {
  const listeners = new Set<(facts: Facts) => void>();
  return {
    record: (facts) => {
      for (const hear of listeners) hear(facts);
    },
    listen: (hear) => {
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
  };
}

/**
 * The closed list of observed events. Their fields become labels: few values each, no user ids, no addresses, no keys.
 */
export const observed = {
  /** A user signed in. */
  signIn: observation<{ method: string }>(),
  /** A request was answered with an error. */
  refusal: observation<{ code: string }>(),
  /** A chain or service was queried once. `host` is the end of the host name. */
  endpointRead: observation<{ service: string; host: string; outcome: 'success' | 'failure' }>(),
  /**
   * A chain, platform or service failed in a way that its adapter does not declare, or a proof could not be verified.
   */
  dependencyFailure: observation<{ dependency: string; kind: 'error' | 'timeout' | 'malformed' | 'unknown' }>(),
  /** A webhook was sent, or its receiver did not accept it. */
  webhookAttempt: observation<{ outcome: 'delivered' | 'failed' | 'disabled' }>(),
  /** The platform accepted a role change, refused it, or did not respond. */
  roleChange: observation<{
    platform: string;
    action: 'grant' | 'revoke';
    outcome: 'confirmed' | 'refused' | 'failed';
    /** Why the member was checked, and how long after that the change was confirmed; absent if an admin decided. */
    cause?: string;
    seconds?: number;
  }>(),
  /** One attempt of a job ended. */
  job: observation<{ name: string; outcome: 'done' | 'failed' | 'given-up' | 'abandoned'; seconds: number }>(),
  /** A connection on which a chat platform sends events opened or closed. */
  gateway: observation<{ platform: string; shard: string; isOpen: boolean; code?: string }>(),
  /** The platform permanently refuses a shard, so it is not opened again; or this process no longer runs it. */
  gatewayStopped: observation<{ platform: string; shard: string; isStopped: boolean; code: string }>(),
  /** One entry from a service, such as a member or a balance, is malformed and was skipped. */
  malformedEntry: observation<{ source: string; kind: string }>(),
  /** The signer answered a request. */
  signature: observation<{ outcome: 'done' | 'refused' }>(),
};
