import { connectDirectly } from '../connection/connect-once.ts';

/** A finished drill, and the database that the backup is of. */
export interface DrillResult {
  /** A direct connection as the owner. */
  url: string;
  /** The setting it comes from, for messages. */
  variable: string;
  at: Date;
  isSound: boolean;
}

/** Keeps the result of a drill for the alerts: that none is made any more, and that the last one failed. */
export async function recordDrill({ url, variable, at, isSound }: DrillResult): Promise<void> {
  const client = await connectDirectly(url, variable);
  try {
    await client.query(
      `insert into public.drills (at, is_sound) values ($1, $2)
       on conflict (at) do update set is_sound = drills.is_sound and excluded.is_sound`,
      [at, isSound],
    );
  } finally {
    await client.end();
  }
}
