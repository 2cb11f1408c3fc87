"""Every hint. Made by tools/generate_hints from src/policy/hints/hints.def: change that file, then run make generate."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One hint. `kind`: a class in src/policy/hints/hint_kinds.hpp; `group`: first, tuning, experimental."""

    key: str
    default: str
    allowed: str
    meaning: str
    kind: str
    owner: str
    group: str
    experimental_values: tuple[str, ...]


ROWS = (
    Row("collio_enable", "enable", "enable, disable", "take over this file's collective calls, or pass them through", "Choice", "collio", "first", ()),
    Row("collio_pnetcdf", "enable", "enable, disable", "move the data of PnetCDF's files for it, in place of its calls of MPI-IO", "Choice", "collio", "tuning", ()),
    Row("collio_path", "auto", "auto, two_layer, two_phase, independent", "how collective calls move their bytes", "Choice", "collio", "first", ()),
    Row("cb_nodes", "auto", "1..1000000, auto", "number of aggregators in all", "AutoCount", "MPI", "first", ()),
    Row("cb_buffer_size", "16777216", "1..2147483647", "most bytes of an aggregator's collective buffer; collio's has 1073741824 at most", "Bytes", "MPI", "first", ()),
    Row("collio_memory_limit", "auto", "1048576..1099511627776, auto", "most bytes of a rank's buffers, shared windows included; auto: cb_buffer_size decides", "AutoBytes", "collio", "first", ()),
    Row("collio_check", "disable", "enable, disable, strict", "find mistakes of the program in collective calls; strict: overlapping writes fail", "Choice", "collio", "first", ()),
    Row("striping_unit", "auto", "0..1073741824, auto", "bytes of a stripe of new files, and to which file domains are aligned; 0: auto", "AutoBytes", "MPI", "first", ()),
    Row("striping_factor", "auto", "-1, 0..1000000, auto", "servers that new files are striped over; 0 and -1: auto; also passed on to the MPI library", "Servers", "MPI", "first", ()),
    Row("collio_subfiles", "disable", "1..65535, auto, disable", "number of subfiles for the bytes of a new file; auto: one in each chosen folder of collio_subfile_dirs", "CountAutoOrDisable", "collio", "first", ()),
    Row("collio_subfile_dirs", "auto", "colon-separated folders, auto", "folders to which the subfiles are dealt; auto: a folder beside the file", "Folders", "collio", "first", ()),
    Row("collio_join", "never", "never, close, background", "when subfiles become one ordinary file: never (use collio join), at close, or in the background after close", "Choice", "collio", "first", ()),
    Row("collio_probe", "disable", "enable, disable", "measure the targets of a new file first and leave out slow ones: the folders for its subfiles, else those it is striped over", "Choice", "collio", "first", ()),
    Row("collio_holes", "auto", "auto, piecewise, sieve", "windows with holes: each piece, or read-modify-write", "Choice", "collio", "tuning", ()),
    Row("collio_window", "auto", "1..1073741824, auto", "bytes an aggregator serves per round, at most cb_buffer_size", "AutoBytes", "collio", "tuning", ()),
    Row("collio_local_aggregators", "auto", "1..1000000, auto", "local aggregators in all; as many as ranks: one layer", "AutoCount", "collio", "tuning", ()),
    Row("nc_num_aggrs_per_node", "auto", "0..1000000, auto", "local aggregators per node; 0: auto", "AutoCount", "PnetCDF", "tuning", ()),
    Row("collio_schedule", "auto", "auto, none, communication, write, write_communication, write_communication_2, dataflow", "overlap of exchange and storage in the rounds of two_phase", "Choice", "collio", "tuning", ("write", "write_communication", "write_communication_2")),
    Row("collio_buffers", "2", "2..64", "windows an aggregator has in memory when rounds overlap; cb_buffer_size is for all of them", "Count", "collio", "tuning", ()),
    Row("collio_storage", "auto", "auto, posix, threads, uring, null", "I/O backend: the calling thread, threads, io_uring", "Choice", "collio", "tuning", ()),
    Row("collio_storage_threads", "2", "1..64", "threads of a process, for collio_storage=threads", "Count", "collio", "tuning", ()),
    Row("collio_direct", "disable", "enable, disable", "aligned parts go past the page cache (O_DIRECT)", "Choice", "collio", "tuning", ()),
    Row("collio_subfile_unit", "1048576", "1..1073741824", "bytes of a stripe: consecutive stripes go to the subfiles round robin", "Bytes", "collio", "tuning", ()),
    Row("collio_redeal", "disable", "enable, disable", "stop writing to a subfile whose target turns slow while the file is written", "Choice", "collio", "tuning", ()),
    Row("collio_faults", "none", "none, @FILE, or rules WHO:WHERE:EFFECT with / between them", "faults injected into the calls on the file, for tests and drills", "Faults", "collio", "tuning", ()),
    Row("collio_aggregators", "dealt", "dealt, one_per_node, per_numa, per_nic, round_robin, spread, greedy, shortest_path, longest_path, topology_aware, contention_aware", "which ranks aggregate; topology_aware and the experimental ones elect nodes for every call", "Choice", "collio", "tuning", ("greedy", "shortest_path", "longest_path", "contention_aware")),
    Row("collio_assignment", "auto", "auto, in_order, locality_aware, least_hop_bytes, least_congestion", "which aggregator serves which file domain", "Choice", "collio", "tuning", ()),
    Row("collio_domains", "auto", "auto, even, aligned, static_cyclic, group_cyclic, balanced", "how the span of a call is cut into file domains", "Choice", "collio", "tuning", ()),
    Row("collio_layout", "enable", "enable, disable", "respect the file's layout on storage targets, where its file system reports it, or ignore it", "Choice", "collio", "tuning", ()),
    Row("collio_striping", "off", "off, auto", "striping of new files when neither hints nor the folder set it: the file system's default, or one target per node", "Choice", "collio", "tuning", ()),
    Row("collio_patience", "60", "0..86400", "seconds a rank waits before it names missing ranks on stderr; 0: never", "Count", "collio", "tuning", ()),
    Row("cb_config_list", "auto", "comma-separated HOST:COUNT, *:COUNT, *:*", "most aggregators per host", "Hosts", "ROMIO", "tuning", ()),
    Row("romio_cb_write", "automatic", "enable, disable, automatic", "collective buffering for writes; disable: each rank writes for itself, and waits for nobody", "RomioChoice", "ROMIO", "tuning", ()),
    Row("romio_cb_read", "automatic", "enable, disable, automatic", "collective buffering for reads; disable: each rank reads for itself, and waits for nobody", "RomioChoice", "ROMIO", "tuning", ()),
    Row("romio_ds_write", "automatic", "enable, disable, automatic", "data sieving for writes with holes", "RomioChoice", "ROMIO", "tuning", ()),
    Row("romio_ds_read", "automatic", "enable, disable, automatic", "data sieving for reads with holes", "RomioChoice", "ROMIO", "tuning", ()),
    Row("ind_rd_buffer_size", "4194304", "1..1073741824", "most bytes that an independent call reads at once for data sieving", "Bytes", "ROMIO", "tuning", ()),
    Row("ind_wr_buffer_size", "524288", "1..1073741824", "most bytes that an independent call reads and writes at once for data sieving", "Bytes", "ROMIO", "tuning", ()),
    Row("collio_nodes_per_group", "1", "1..1000000", "nodes whose pieces are combined before they go to aggregators elsewhere", "Count", "collio", "experimental", ()),
    Row("collio_sends", "synchronous", "synchronous, standard", "between nodes: sends that complete when received, or at once", "Choice", "collio", "experimental", ()),
    Row("collio_transfer", "two_sided", "auto, two_sided, fence, lock", "transfer of data to and from the aggregators of two_phase: messages, or one-sided", "Choice", "collio", "experimental", ()),
    Row("collio_transfer_piece", "512", "1..1073741824", "bytes of the shortest pieces, on average, that go one-sided; shorter ones go with messages", "Bytes", "collio", "experimental", ()),
)
