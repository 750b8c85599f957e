declare module "catalogue" {
  export const catalogue: import("./words/format").Catalogue;
  export const tables: import("./words/decide").Tables;
}
