# SPDX-License-Identifier: BSD-3-Clause
"""Linux's ixgbe: all of ethtool."""

import re

import pytest

import frames
import linux


@pytest.mark.few
@pytest.mark.check("ethtool -t offline")
def test_self_test(port):
    status, out = port.run("ethtool -t {} offline", timeout=120, check=False)
    results = {k: int(v) for k, v in re.findall(r"^(\w+) test\s+\([\w/]+\)\s+(\d+)$", out, re.M)}
    assert set(results) == {"Register", "Eeprom", "Interrupt", "Loopback", "Link"}, out
    assert set(results.values()) == {0}, (out, port.run("dmesg | tail"))
    port.link_up()
    port.ping()


@pytest.mark.check("ethtool -S")
def test_statistics_are_there(port):
    assert len(port.stats()) > 60


@pytest.mark.check("ethtool -d")
def test_register_dump(port):
    dump = port.run("ethtool -d {}")
    assert re.search(r"LINKS.*Link up/down.*|Link Status:\s+up", dump) or "LINKS" in dump
    assert re.search(r"Receive Enable:?\s+(enabled|Enabled)|RXCTRL", dump)


# what ethtool calls otherwise than the datasheet of these chips
RENAMED = {"EODSDP": "I2CCTL", "FCCTV": "FCTTV", "MHADD": "MAXFRS", "QBRC": "QBRC_L", "QBTC": "QBTC_L",
           "RTTQCNRM": "RTTBCNRM"}
# what it prints with another place: the 82598's, whatever the chip, or, of SEC*, that of their neighbour
ELSEWHERE = {"MSIXT", "PBACL", "DCA_TXCTRL", "DTXCTL", "FCRTL", "FCRTH", "TDSTAT", "TDHMPN", "TIC_DW",
             "SECTXMINIFG", "SECRXCTRL", "SECRXSTAT"}


@pytest.mark.check("ethtool -d")
def test_register_names(port):
    """Each register that both ethtool and the models name has one name; an array, one index."""
    printed = re.findall(r"^0x([0-9A-F]{5}): (\w+?)(\d*) +\(", port.run("ethtool -d {}"), re.M)
    known = {int(r["offset"], 16): (r["name"].removesuffix("_82598"), r["index"])
             for r in port.nic.report()["registers"]}
    wrong, same = [], 0
    for offset, name, digits in printed:
        name = name.upper()
        if int(offset, 16) not in known or name in ELSEWHERE:
            continue
        ours, index = known[int(offset, 16)]
        theirs = [(RENAMED.get(n, n), i) for n, i in ((name, int(digits or 0)), (name + digits, 0))]
        if (ours, index) in theirs:
            same += 1
        else:
            wrong.append(f"0x{offset}: {name}{digits} is {ours}({index})")
    assert wrong == [] and same > 600, (same, wrong)


@pytest.mark.check("ethtool -e")
def test_eeprom_dump(port):
    out = port.run("ethtool -e {} offset 0 length 128", timeout=120)
    data = bytes.fromhex("".join(re.findall(r"^0x[0-9a-f]+:\s+((?:[0-9a-f]{2} ?)+)", out, re.M))
                         .replace(" ", ""))
    assert len(data) == 128
    # the address lies at words 0x10 to 0x12 of the model's NVM
    assert data[0x20:0x26] == bytes.fromhex(port.nic.mac.replace(":", ""))


@pytest.mark.check("ethtool -m")
def test_module(port):
    if port.nic.model != "82599":
        status, out = port.run("ethtool -m {}", check=False)
        assert status != 0
        pytest.skip("no module: backplane or twisted pair")
    out = port.run("ethtool -m {}", timeout=120)
    assert "10G Base-SR" in out
    assert "SOFTWARE NIC" in out


@pytest.mark.check("ethtool -a, -A")
def test_pause(port):
    def pause():
        return re.findall(r"^(RX|TX):\s+(on|off)", port.run("ethtool -a {}"), re.M)

    fixed = " autoneg off" if "Autonegotiate:\ton" in port.run("ethtool -a {}") else ""
    try:
        for rx, tx in (("off", "off"), ("on", "on")):
            port.run(f"ethtool -A {{}}{fixed} rx {rx} tx {tx}")
            port.guest.until(f"ethtool -a {port.name} | grep -q '^RX:.*{rx}'", 20)
            assert pause()[:2] == [("RX", rx), ("TX", tx)]
        port.link_up()
    finally:
        port.run("ethtool -A {} autoneg on", check=False)
    port.ping()


@pytest.mark.turns
@pytest.mark.check("ethtool -c, -C")
@pytest.mark.parametrize("usecs", [0, 1, 10, 125, 1000])
def test_coalesce(port, usecs):
    """0 is no throttle, 1 the driver's adaptive one."""
    try:
        port.run(f"ethtool -C {{}} rx-usecs {usecs}")
        shown = int(re.search(r"^rx-usecs:\s+(\d+)", port.run("ethtool -c {}"), re.M).group(1))
        assert shown == usecs
        port.ping()
    finally:
        port.run("ethtool -C {} rx-usecs 1")


@pytest.mark.check("ethtool -g, -G")
def test_rings_are_shown(port):
    port.run("ethtool -G {} rx 1024 tx 256")
    try:
        out = port.run("ethtool -g {}")
        assert re.findall(r"^(?:RX|TX):\s+(\d+)", out, re.M)[2:4] == ["1024", "256"]
    finally:
        port.run("ethtool -G {} rx 512 tx 512")


@pytest.mark.turns
@pytest.mark.check("ethtool -k, -K")
@pytest.mark.parametrize("short, name", [
    ("rx", "rx-checksumming"), ("tx", "tx-checksum-ip-generic"), ("sg", "scatter-gather"),
    ("tso", "tcp-segmentation-offload"), ("gro", "generic-receive-offload"),
    ("lro", "large-receive-offload"), ("rxvlan", "rx-vlan-offload"), ("txvlan", "tx-vlan-offload"),
    ("rxhash", "receive-hashing")])
def test_features(port, short, name):
    normal = port.features()[name]
    try:
        for on in (not normal, normal):
            port.offload(short, on)
            assert port.features()[name] == on
            port.link_up()
            port.ping(count=2)
    finally:
        port.run("ethtool -K {} rx on tx on sg on tso on gro on lro off rxvlan on txvlan on rxhash on")


@pytest.mark.check("ethtool -l, -L")
def test_channels_are_shown(port):
    out = port.run("ethtool -l {}")
    assert re.findall(r"^Combined:\s+(\d+)", out, re.M) == [str(linux.CPUS)] * 2


@pytest.mark.check("ethtool -x, -X")
def test_indirection_is_obeyed(port):
    port.run("ethtool -X {} equal 1")
    try:
        before = port.stats()
        with port.nic.wire() as wire:
            frames.send(wire, [frames.tcp(port.nic, s) for s in range(4000, 4100)])
            port.guest.run("sleep 0.3")
        queues = port.queues(port.gained(before), "rx")
        assert queues[0] == 100 and sum(queues) == 100
        key = ":".join(["6d", "5a"] * 20)
        port.run(f"ethtool -X {{}} hkey {key}")
        assert key in port.run("ethtool -x {}")
    finally:
        port.run("ethtool -X {} default")


@pytest.mark.check("ethtool -n, -N")
def test_flow_director_steers_and_drops(port):
    """Perfect filters: one to a queue, one into the void; then they are gone."""
    nic = port.nic

    def rule(text):
        out = port.run(f"ethtool -N {{}} flow-type {text}")
        return int(re.search(r"ID (\d+)", out).group(1))

    def hits(dport, count=50):
        before = port.stats()
        with nic.wire() as wire:
            frames.send(wire, [frames.tcp(nic, s, dport) for s in range(5000, 5000 + count)])
            port.guest.run("sleep 0.3")
        return port.queues(port.gained(before), "rx")

    port.run("ethtool -K {} ntuple on")
    rules = []
    try:
        port.link_up()
        rules.append(rule("tcp4 dst-port 6001 action 2"))
        rules.append(rule("tcp4 dst-port 6002 action -1"))
        assert "Total 2 rules" in port.run("ethtool -n {}")
        assert hits(6001)[2] == 50
        assert sum(hits(6002)) == 0
        assert min(hits(6003, 200)) > 0  # neither: RSS
        for number in list(rules):
            port.run(f"ethtool -N {{}} delete {number}")
            rules.remove(number)
        assert sum(hits(6002)) == 50
        assert hits(6001)[2] < 50
    finally:
        for number in rules:
            port.run(f"ethtool -N {{}} delete {number}", check=False)
        port.run("ethtool -K {} ntuple off")
