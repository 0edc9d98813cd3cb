import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';

/** What deploying and calling one contract needs. */
export interface Artifact {
  abi: unknown[];
  /** The creation code, before the encoded constructor arguments. */
  bytecode: string;
  /** The runtime code, for contracts whose constructor arguments are not part of it. */
  deployedBytecode: string;
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, CompiledContract>>;
}

interface CompiledContract {
  abi: unknown[];
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

const sourceFolder = join(import.meta.dirname, '..', 'contracts');

const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Otherwise every changed comment would change the bytecode.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

/** Compiles every contract of the development chain, by name. Libraries and interfaces are left out. */
export function compileContracts(): Record<string, Artifact> {
  const names = readdirSync(sourceFolder).filter((name) => name.endsWith('.sol'));
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(join(sourceFolder, name), 'utf8') }]),
  );
  const { errors = [], contracts = {} } = compile({ language: 'Solidity', sources, settings });
  const messages = errors.map((error) => error.formattedMessage);
  if (messages.length > 0) throw new Error(`The contracts do not compile cleanly:\n${messages.join('\n')}`);
  return Object.fromEntries(
    Object.values(contracts)
      .flatMap((file) => Object.entries(file))
      .filter(([, { abi, evm }]) => abi.length > 0 && evm.bytecode.object !== '')
      .map(([name, { abi, evm }]) => [name, toArtifact(abi, evm)]),
  );
}

function toArtifact(abi: unknown[], { bytecode, deployedBytecode }: CompiledContract['evm']): Artifact {
  return { abi, bytecode: `0x${bytecode.object}`, deployedBytecode: `0x${deployedBytecode.object}` };
}

// The compiler takes and returns JSON text, in the shape that its manual defines.
function compile(input: unknown): CompilerOutput {
  return JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
}
