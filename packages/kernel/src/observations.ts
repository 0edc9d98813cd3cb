/** An event in this process that metrics are kept of. The code where it happens publishes; the code that counts listens. */
export interface Observation<Facts> {
  record(facts: Facts): void;
  /** Answers with how to stop listening. */
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

/** The closed list of what is observed. Facts become labels: few values each, no ids of people, no addresses, no keys. */
export const observed = {
  /** A person signed in. */
  signIn: observation<{ method: string }>(),
  /** A request was answered with an error. */
  refusal: observation<{ code: string }>(),
  /** A chain or service was asked for data, once. `host` is the end of the host name. */
  endpointRead: observation<{ service: string; host: string; outcome: 'success' | 'failure' }>(),
  /** A chain, platform or service failed in a way that its adapter does not declare, or a proof could not be verified. */
  dependencyFailure: observation<{ dependency: string; kind: 'error' | 'timeout' | 'malformed' | 'unknown' }>(),
  /** A webhook was sent, or its receiver did not take it. */
  webhookAttempt: observation<{ outcome: 'delivered' | 'failed' | 'disabled' }>(),
  /** The platform took a role change, refused it, or did not answer. */
  roleChange: observation<{
    platform: string;
    action: 'grant' | 'revoke';
    outcome: 'confirmed' | 'refused' | 'failed';
    /** Why the member was checked, and how long after that the change was confirmed; absent where a person decided. */
    cause?: string;
    seconds?: number;
  }>(),
  /** One attempt of a job ended. */
  job: observation<{ name: string; outcome: 'done' | 'failed' | 'given-up' | 'abandoned'; seconds: number }>(),
  /** A connection on which a chat platform sends events opened or closed. */
  gateway: observation<{ platform: string; shard: string; isOpen: boolean; code?: string }>(),
  /** The platform refuses a shard for good, so it is not opened again; or this process no longer looks after it. */
  gatewayStopped: observation<{ platform: string; shard: string; isStopped: boolean; code: string }>(),
  /** One entry that a service sent, such as a member or a balance, is not of the published form and was skipped. */
  malformedEntry: observation<{ source: string; kind: string }>(),
  /** The signer answered a request. */
  signature: observation<{ outcome: 'done' | 'refused' }>(),
};
