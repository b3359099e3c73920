/** What a team's database shows about this repository. */
export interface TeamStatus {
  readonly repository: string;
  /** The user of the database, who appears in each event. */
  readonly member: string;
  readonly events: number;
  readonly clones: readonly {
    readonly checkout: string;
    readonly member: string;
    readonly at: string;
    readonly last: string;
  }[];
  readonly leases: readonly { readonly name: string; readonly holder: string; readonly seconds: number }[];
}

export interface TeamCheck {
  readonly check: string;
  readonly found: string;
  readonly isFine: boolean;
}

export interface TeamMove {
  readonly events: number;
  readonly entries: number;
}

/** The database of a team, for those who set it up and look after it. */
export interface TeamAdministration {
  /** The SQL that `prepare` runs. */
  script(members: readonly string[]): Promise<string>;
  /** Creates or migrates the schema, and adds this repository for these members. It can run again. */
  prepare(members: readonly string[]): Promise<{ readonly repository: string; readonly version: number }>;
  /** Moves the ledger of this clone into the database, which must not have work of this repository. */
  move(): Promise<TeamMove>;
  status(): Promise<TeamStatus>;
  checks(): Promise<readonly TeamCheck[]>;
  /** Makes the mirror the ledger of this clone again. */
  leave(): Promise<TeamMove>;
  /** Copies everything into a new SQLite file. */
  copy(file: string): Promise<TeamMove>;
}
