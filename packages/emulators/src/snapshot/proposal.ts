export interface EmulatorSpace {
  id: string;
  name?: string;
  [field: string]: unknown;
}

export interface EmulatorProposal {
  id: string;
  space: EmulatorSpace;
  title: string;
  body?: string;
  author: string;
  choices: string[];
  created: number;
  start: number;
  end: number;
  [field: string]: unknown;
}
