import { modules } from './basic-op-modules.ts';
import type { Person } from './person.ts';
import { RelyingParty, type RelyingPartyOptions } from './relying-party.ts';

/**
 * Goes through the 38 modules of the OpenID Foundation's plan for Basic OPs, made anew after their names and driven by
 * openid-client. It is no certification. Every request brings PKCE, which the Foundation's own suite brings in one module
 * only.
 */
export async function checkBasicOp(
  options: RelyingPartyOptions,
  person: Person,
  wanted: readonly string[],
): Promise<number> {
  console.log('\nBasic OP, after the names of the plan, by openid-client');
  const rp = await RelyingParty.discover(options, person);
  const tally = { passed: 0, warnings: 0, failed: 0 };
  const chosen = Object.entries(modules).filter(
    ([name]) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
  );
  for (const [name, module] of chosen) {
    try {
      const warning = await module(rp);
      if (typeof warning === 'string') tally.warnings += 1;
      else tally.passed += 1;
      console.log(typeof warning === 'string' ? `warning ${name}: ${warning}` : `passed  ${name}`);
    } catch (error) {
      tally.failed += 1;
      console.log(`FAILED  ${name}: ${sayFailure(error)}`);
    }
  }
  console.log(`\n${tally.passed}/${chosen.length} passed, ${tally.warnings} with warnings, ${tally.failed} failed`);
  return tally.failed;
}

/** openid-client keeps what the server said beside its own sentence. */
function sayFailure(failure: unknown): string {
  const { message, error, error_description: description } = Object(failure) as Record<string, unknown>;
  return [message ?? String(failure), error, description].filter((part) => part !== undefined).join(', ');
}
