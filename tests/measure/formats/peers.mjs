// Reads documents with kordoc or officeparser, as peers.py does with others.
//
//     node peers.mjs kordoc | officeparser
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

const readers = {
  async kordoc() {
    const { parse } = await import("kordoc");
    return async (path) => {
      const content = await readFile(path);
      const bytes = content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength);
      const parsed = await parse(bytes);
      if (!parsed.success) throw new Error(parsed.error);
      return parsed.markdown;
    };
  },
  async officeparser() {
    const parser = await import("officeparser");
    const parse = parser.parseOfficeAsync ?? parser.default.parseOfficeAsync ?? parser.default.parseOffice;
    return async (path) => {
      const parsed = await parse(path);
      return typeof parsed === "string" ? parsed : parsed.toText();
    };
  },
};

// What a library prints must not be taken for an answer.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const read = await readers[process.argv[2]]();
for await (const path of createInterface({ input: process.stdin })) {
  const before = process.cpuUsage();
  let answer;
  try {
    answer = { text: String(await read(path)) };
  } catch (error) {
    answer = { error: String(error).slice(0, 300) };
  }
  const { user, system } = process.cpuUsage(before);
  answer.cpu = (user + system) / 1e6;
  write(JSON.stringify(answer) + "\n");
}
