/** What a busy worker exposes: whether it makes progress, and on which job. */
export interface Pulse {
  memory: SharedArrayBuffer;
  beat(): void;
  begin(job: number): void;
  end(): void;
  beats(): number;
  job(): number | undefined;
}

export function createPulse(): Pulse {
  return pulseOf(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

export function pulseOf(memory: SharedArrayBuffer): Pulse {
  const [beatsAt, jobAt] = [0, 1];
  const cells = new Int32Array(memory);
  const beat = () => void Atomics.add(cells, beatsAt, 1);
  return {
    memory,
    beat,
    // 0 means no job, so that a worker that ends before its first job does not blame one.
    begin: (job) => {
      Atomics.store(cells, jobAt, job + 1);
      beat();
    },
    end: () => void Atomics.store(cells, jobAt, 0),
    beats: () => Atomics.load(cells, beatsAt),
    job: () => {
      const job = Atomics.load(cells, jobAt);
      return job === 0 ? undefined : job - 1;
    },
  };
}
