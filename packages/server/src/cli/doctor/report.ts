import { print } from '../print.ts';
import type { Finding } from './examine-installation.ts';

const marks = { ok: 'ok  ', warn: 'look', fail: 'FAIL', unknown: '??  ' } as const;

/** The exit codes of doctor, besides 78 for invalid settings. The command line reference documents them. */
export const doctorCodes = { good: 0, failing: 1, unchecked: 2 } as const;

/** Prints findings with what could not be checked at the end, and returns the exit code. */
export function reportFindings(title: string, findings: readonly Finding[]): number {
  print(title);
  for (const { level, about, says } of findings) print(`  ${marks[level]}  ${about}: ${says}`);
  const [failing = [], warnings = [], unchecked = []] = (['fail', 'warn', 'unknown'] as const).map((level) =>
    findings.filter((finding) => finding.level === level),
  );
  if (unchecked.length > 0)
    print(
      `Not checked: ${[...new Set(unchecked.map(({ about }) => about))].join(', ')}. Nothing is known about these.`,
    );
  print(describeEnd(failing.length, warnings.length, unchecked.length));
  if (failing.length > 0) return doctorCodes.failing;
  return unchecked.length > 0 ? doctorCodes.unchecked : doctorCodes.good;
}

function describeEnd(failing: number, warnings: number, unchecked: number): string {
  const looks = warnings === 0 ? '' : ` ${warnings === 1 ? '1 warning' : `${warnings} warnings`} above.`;
  const rest = unchecked === 0 ? '' : ` ${unchecked === 1 ? '1 check was' : `${unchecked} checks were`} not made.`;
  if (failing > 0) return `${failing === 1 ? '1 problem' : `${failing} problems`} found.${looks}${rest}`;
  return unchecked === 0
    ? `No problems found.${looks}`
    : `No problems found in what was checked.${looks}${rest} This is no proof that the installation works.`;
}
