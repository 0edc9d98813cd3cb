/** The generators of which one makes each client, at the versions that these tests ran with. */
export const openapiGenerator = 'org.openapitools:openapi-generator-cli:7.14.0';
export const npmPackages = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'orval@8.30.0',
  'esbuild@0.28.2',
  'typescript@5.9.3',
];

/** A client that a generator makes, and a program in its language that uses it. */
export interface Client {
  name: string;
  /** The programs that build and run it. Java is needed for the generator itself. */
  tools: readonly string[];
  /** The files of `samples` that are added to the generated ones, by where they belong. */
  files: Readonly<Record<string, string>>;
  /** What builds it and runs the program, which the last command does. */
  commands: readonly string[];
}

/** With the arguments of openapi-generator, which has the default settings otherwise. */
export interface CompiledClient extends Client {
  generator: string;
}

const maven = 'mvn -q -B compile dependency:copy-dependencies -DincludeScope=runtime';

export const compiledClients: readonly CompiledClient[] = [
  {
    name: 'Go',
    generator: 'go',
    tools: ['go'],
    files: { 'cmd/sample/main.go': 'main.go' },
    commands: ['go mod tidy', 'go run ./cmd/sample'],
  },
  {
    name: 'Python',
    generator: 'python',
    tools: ['python3'],
    files: { 'sample.py': 'sample.py' },
    commands: [
      'python3 -m venv --without-pip environment',
      'python3 -m pip --python environment/bin/python install -q -r requirements.txt',
      'environment/bin/python sample.py',
    ],
  },
  {
    name: 'Java',
    generator: 'java',
    tools: ['javac', 'mvn'],
    files: { 'src/main/java/Sample.java': 'Sample.java' },
    commands: [maven, 'java -cp target/classes:target/dependency/* Sample'],
  },
  {
    name: 'Kotlin',
    generator: 'kotlin',
    tools: ['javac', 'mvn'],
    // It comes with a build for Gradle only. Maven brings the compiler too.
    files: { 'src/main/kotlin/Sample.kt': 'Sample.kt', 'pom.xml': 'kotlin-pom.xml' },
    commands: [maven, 'java -cp target/classes:target/dependency/* SampleKt'],
  },
  {
    name: 'Rust',
    generator: 'rust',
    tools: ['cargo'],
    files: { 'examples/sample.rs': 'sample.rs' },
    commands: ['cargo add -q --dev tokio@1 --features macros,rt-multi-thread', 'cargo run -q --example sample'],
  },
  {
    name: 'C#',
    // The default library, generichost, sends every credential that an operation accepts, and so needs one of each scheme.
    generator: 'csharp --library httpclient',
    tools: ['dotnet'],
    files: { 'sample/Sample.cs': 'Sample.cs', 'sample/Sample.csproj': 'Sample.csproj' },
    commands: ['dotnet run --project sample'],
  },
];

const typescript = [
  'tsc -p .',
  'esbuild sample.ts --bundle --platform=node --format=esm --outfile=sample.mjs',
  'node sample.mjs',
];

/** Their commands begin with the generator's own. */
export const typescriptClients: readonly Client[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    tools: [],
    files: { 'sample.ts': 'openapi-fetch.ts.txt' },
    commands: ['openapi-typescript openapi.json -o api.ts', ...typescript],
  },
  {
    name: '@hey-api/openapi-ts',
    tools: [],
    files: { 'sample.ts': 'hey-api.ts.txt' },
    commands: ['openapi-ts -i openapi.json -o api', ...typescript],
  },
  {
    name: 'orval',
    tools: [],
    files: { 'sample.ts': 'orval.ts.txt', 'orval.config.mjs': 'orval.config.mjs.txt' },
    commands: ['orval --config orval.config.mjs', ...typescript],
  },
];
