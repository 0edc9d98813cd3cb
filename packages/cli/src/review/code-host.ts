/** A comment that this command wrote. */
export interface Comment {
  id: number;
  body: string;
}

/** A pull request or merge request, and whether it comes from a fork. */
export interface Proposal {
  number: number;
  isFromFork: boolean;
}

/** Where the repository is: GitHub or GitLab, as far as comments of pull requests are concerned. */
export interface CodeHost {
  /** What it calls a proposal. */
  word: 'pull request' | 'merge request';
  /** The longest comment that it takes. */
  mostLetters: number;
  /** The proposal that this job runs for; undefined if it runs for none. */
  findProposal(): Promise<Proposal | undefined>;
  /** The merged proposals that led to the commit of this job. */
  findMerged(): Promise<number[]>;
  /** The comments of a proposal that this command’s account wrote, oldest first. What others write decides nothing. */
  listOwnComments(proposal: number): Promise<Comment[]>;
  addComment(proposal: number, body: string): Promise<void>;
  changeComment(proposal: number, id: number, body: string): Promise<void>;
  /** Shows Markdown on the page of the job, where there is one. */
  showSummary(body: string): Promise<void>;
}
