import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import type { KeptTelegramSession, PlatformFailed, TelegramSessions } from '@latchkey/core/ports';
import { type MtprotoEmulator, startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { patientMs } from '@latchkey/emulators/testing';
import type { MtprotoServer } from './client.ts';
import type { MemberList } from './list-chat.ts';
import { createMemberLister, type MemberLister, type MemberListerOptions } from './member-lister.ts';

/** Keeps a session in memory. */
export class MemorySessions implements TelegramSessions {
  session: string | undefined;

  async use<Result>(work: (kept: KeptTelegramSession) => Promise<Result>): Promise<Result> {
    const keep = async (session: string) => {
      this.session = session;
    };
    return work({ session: this.session, keep });
  }
}

export const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };

/** Returns the server settings of an emulator. */
export function serverOf({ addresses: [firstDc], publicKey }: MtprotoEmulator): MtprotoServer {
  if (firstDc === undefined) throw new Error('The emulator has no data center.');
  return { firstDc, publicKey };
}

type Group = ReturnType<TelegramEmulator['createGroup']>;

/** A chat with a bot, and a lister of its members. */
export class Stage {
  readonly emulator: TelegramEmulator;
  readonly mtproto: MtprotoEmulator;
  group: Group;
  sessions = new MemorySessions();
  nowMs = Date.parse('2026-01-01T00:00:00Z');

  private constructor(emulator: TelegramEmulator, mtproto: MtprotoEmulator) {
    this.emulator = emulator;
    this.mtproto = mtproto;
    this.group = emulator.createGroup({ title: 'Cat Club' });
  }

  static async open(): Promise<Stage> {
    const emulator = await startTelegramEmulator();
    return new Stage(emulator, await emulator.openMtproto({ dcIds: [2, 4] }));
  }

  /** Starts over with another chat and no login. */
  reset(): void {
    this.emulator.behave();
    this.mtproto.move(this.emulator.bot, 2);
    this.sessions = new MemorySessions();
    this.group = this.emulator.createGroup({ title: 'Cat Club' });
  }

  lister({
    token = this.emulator.bot.token,
    ...change
  }: Partial<MemberListerOptions> & { token?: string } = {}): MemberLister {
    const { apiId, apiHash } = this.mtproto;
    const { sessions } = this;
    const options = {
      apiId,
      apiHash,
      random,
      connect,
      sessions,
      server: serverOf(this.mtproto),
      callTimeoutMs: patientMs,
      ...change,
    };
    return createMemberLister({ token, clock: () => new Date(this.nowMs) }, options);
  }

  list(change?: Parameters<Stage['lister']>[0]): Promise<MemberList> {
    return this.lister(change).list(String(this.group.id));
  }

  addMembers(count: number): string[] {
    return Array.from({ length: count }, (_, index) => {
      const { id } = this.emulator.createUser(`Member ${index}`);
      this.group.members.set(id, { status: 'member' });
      return String(id);
    });
  }

  calls(method: string): number {
    return this.mtproto.counts()[method] ?? 0;
  }

  /** Asserts the kind and message of a failure, and that it contains no secret. */
  failsWith(kind: PlatformFailed['kind'], words: RegExp) {
    return (error: PlatformFailed): true => {
      assert.equal(error.kind, kind);
      assert.match(error.message, words);
      const shown = inspect(error, { depth: 9, showHidden: true });
      for (const secret of [this.emulator.bot.token, this.mtproto.apiHash, this.sessions.session ?? '?'])
        assert.ok(!shown.includes(secret), 'no secret in it');
      return true;
    };
  }
}
