import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';

/** What deploying and calling one contract takes. */
export interface Artifact {
  abi: unknown[];
  /** What a transaction sends to deploy it, before the encoded arguments of the constructor. */
  bytecode: string;
  /** What stands on the chain afterwards, where no constructor argument is part of it. */
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
  // Without it every changed comment would change the code on the chain.
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

// The compiler speaks JSON text; its own manual prescribes this shape.
function compile(input: unknown): CompilerOutput {
  return JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
}
